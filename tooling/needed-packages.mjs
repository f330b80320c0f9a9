/** The names of the packages among `manifests` that those named need, themselves included. */
export function neededBy(names, manifests) {
  const needed = new Set()
  const visit = (name) => {
    const manifest = manifests.find((one) => one.name === name)
    if (manifest === undefined || needed.has(name)) return
    needed.add(name)
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) visit(dependency)
  }
  for (const name of names) visit(name)
  return needed
}
