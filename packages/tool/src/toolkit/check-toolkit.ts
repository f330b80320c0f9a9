import { nearestName } from "@agentscope-ts/message"
import { toolError } from "../error.ts"

const namesOf = {
  "new Toolkit()":
    "tools groups mcps skills parallel timeoutMs retry outputLimit spill allowToolDeletion metaTool taped".split(" "),
  "register()": "group presetArgs extendInput postprocess onNameClash enable disable".split(" "),
  "registerSchema()": ["group"],
  "a tool group": "name description instructions active manageable tools mcps skills".split(" "),
} as const

/** Throws `invalid_argument` for options that do not exist: a misspelt `tools` would make an empty toolkit in silence. */
export function checkNames(where: keyof typeof namesOf, options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw toolError("invalid_argument", `The options of ${where} have to be an object.`)
  }
  const names: readonly string[] = namesOf[where]
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || names.includes(key)) continue
    const meant = nearestName(key, names)
    const hint = meant ? `Did you mean "${meant}"?` : `There are: ${names.join(", ")}.`
    throw toolError("invalid_argument", `There is no option "${key}" of ${where}. ${hint}`)
  }
}

/** Throws `invalid_argument` for an option that is none of the choices; `undefined` passes. */
export function checkChoice(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return
  const listed = choices.map((choice) => JSON.stringify(choice)).join(", ")
  throw toolError("invalid_argument", `${option} is ${JSON.stringify(value)}: it has to be one of ${listed}.`)
}

/** Throws `invalid_argument` for an option that is no list; `undefined` passes. */
export function checkList(option: string, value: unknown): void {
  if (value === undefined || Array.isArray(value)) return
  throw toolError("invalid_argument", `${option} has to be a list.`)
}

/** Throws `invalid_argument` for what is no list of names: a single name would be read letter by letter. */
export function checkNameList(where: string, value: unknown): void {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return
  throw toolError("invalid_argument", `${where} takes a list of names, not ${JSON.stringify(value)}.`)
}

/** Throws `invalid_argument` for what is neither true nor false; `undefined` passes. */
export function checkFlag(option: string, value: unknown): void {
  if (value === undefined || typeof value === "boolean") return
  throw toolError("invalid_argument", `${option} is ${JSON.stringify(value)}: it has to be true or false.`)
}
