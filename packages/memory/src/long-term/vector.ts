/** A vector of length 1 for the database; undefined for one that points nowhere: a text its model could not read. */
export function unitVector(numbers: readonly number[]): Float32Array | undefined {
  const length = Math.hypot(...numbers)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(numbers, (value) => value / length) : undefined
}

/** The bytes as they are stored. */
export const vectorBytes = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer)

/** How near a stored unit vector is to another one, -1 to 1; 0 where they are of different spaces. */
export function similarity(vector: Float32Array, bytes: Uint8Array): number {
  if (bytes.byteLength !== vector.byteLength) return 0
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const stored = new Float32Array(aligned.buffer, aligned.byteOffset, vector.length)
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += (vector[i] as number) * (stored[i] as number)
  return sum
}
