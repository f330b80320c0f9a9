import { didYouMean } from "@agentscope-ts/message"
import type { JsonObject, ToolUseBlock } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import { mayAsk } from "../approval/judge.ts"
import type { ApprovalPolicy } from "../approval/policy.ts"
import { type RememberedRule, rememberedRule } from "../approval/remembered-rule.ts"
import { compileRule } from "../approval/rule.ts"
import type { AnyTool, Tool } from "../define/definition.ts"
import { externalTool } from "../define/external-tool.ts"
import { toolError } from "../error.ts"
import { type Ending, refused } from "../execution/ending.ts"
import type { ToolRun } from "../execution/tool-run.ts"
import { type CallDefaults, executeCall } from "./execute-call.ts"
import type { SkillInput, SkillReport } from "../skills/skill.ts"
import { SkillSet } from "../skills/skill-set.ts"
import { skillToolName, takenBySkills } from "../skills/skill-tool.ts"
import { checkChoice, checkFlag, checkList, checkNameList, checkNames } from "./check-toolkit.ts"
import { boundMetaTool, type MetaToolName, metaTool } from "./meta-tool.ts"
import { type Registration, Sources } from "./sources.ts"
import { type RegisterOptions, ownEntry, type ToolEntry, withPresets } from "./tool-entry.ts"
import { basic, type ToolGroup, ToolGroups, unknownGroup } from "./tool-group.ts"
import { SchemaSets } from "./schema-sets.ts"
import { RemovedTools } from "./removed-tools.ts"
import { ToolRegistry } from "./tool-registry.ts"
import { checkSource, chosenTools, isToolSource, sourceFailed, type ToolSource } from "./tool-source.ts"
import { ToolState } from "./tool-state.ts"
import { callDefaults, type ExecuteOptions, type SourceOptions, type ToolkitOptions } from "./toolkit-options.ts"

const mostNames = 50
const nothing = (): void => {}

/**
 * The tools of one or many agents: registers them, tells models about them, executes their calls. It holds nothing of a
 * conversation, so that any number of agents can share it: what one of them switches lives in its {@link ToolState}.
 */
export class Toolkit {
  /** Whether the calls of a round run at the same time. */
  readonly parallel: boolean
  readonly #registry: ToolRegistry
  readonly #groups = new ToolGroups()
  readonly #metaTool: MetaToolName | undefined
  readonly #allowDeletion: boolean
  readonly #defaults: CallDefaults
  readonly #sources: Sources
  readonly #removed = new RemovedTools()
  readonly #skills = new SkillSet(() => this.#schemas.clear())
  #ready: Promise<void> | undefined
  readonly #schemas = new SchemaSets()

  constructor(options: ToolkitOptions = {}) {
    checkNames("new Toolkit()", options)
    for (const list of ["tools", "groups", "mcps", "skills"] as const) checkList(list, options[list])
    for (const flag of ["parallel", "allowToolDeletion", "taped"] as const) checkFlag(flag, options[flag])
    checkChoice("metaTool", options.metaTool, ["reset_tools", "reset_equipped_tools", false])
    const { metaTool: meta = "reset_tools" } = options
    this.parallel = options.parallel ?? true
    this.#allowDeletion = options.allowToolDeletion ?? true
    this.#metaTool = meta === false ? undefined : meta
    this.#defaults = callDefaults(options)
    this.#registry = new ToolRegistry(this.#metaTool)
    this.#sources = new Sources({
      timeoutMs: this.#defaults.timeoutMs,
      take: (registration, listed) => this.#take(registration, listed),
      onChange: () => {
        this.#ready = undefined
        this.#schemas.clear()
      },
    })
    this.#add(options.tools ?? [], {})
    for (const group of options.groups ?? []) this.createGroup(group)
    for (const source of options.mcps ?? []) this.#sources.add(source, {})
    this.#addSkills(options.skills, basic)
  }

  /**
   * Registers a tool, or the tools of a source (a promise: they have to be listed). Nothing is registered when anything is
   * wrong: throws `name_clash`, `unknown_group`, `invalid_preset`, `invalid_schema`, `invalid_tool`, and for a source also
   * `source_failed`, or `unknown_tool` for a name in `enable` or `disable` that it does not have.
   */
  // compilers tell what is wrong with the last one
  register(tool: AnyTool & { readonly run?: never }, options?: RegisterOptions): void
  register(source: ToolSource, options?: SourceOptions): Promise<void>
  register<In, Out>(tool: Tool<In, Out>, options?: RegisterOptions<In>): void
  register(what: AnyTool | ToolSource, options: SourceOptions = {}): void | Promise<void> {
    checkNames("register()", options)
    for (const list of ["enable", "disable"] as const) {
      if (options[list] === undefined) continue
      checkNameList(`${list} of register()`, options[list])
      if (!isToolSource(what)) throw toolError("invalid_argument", `${list} is for sources: this is a tool by itself.`)
    }
    if (isToolSource(what)) return this.#registerSource(what, options)
    this.#add([what], options)
  }

  /** Registers tools of which only the schema is known: calls of them suspend, and their results come from outside. */
  registerSchema(schemas: ToolSchema | readonly ToolSchema[], options: { group?: string | undefined } = {}): void {
    checkNames("registerSchema()", options)
    const list = Array.isArray(schemas) ? (schemas as readonly ToolSchema[]) : [schemas as ToolSchema]
    this.#add(list.map(externalTool), options)
  }

  /** The tool of a name, in whatever group it is; the meta tool and the one for skills too, where there are any. */
  get(name: string): AnyTool | undefined {
    return this.#registry.get(name)?.tool ?? (name === this.#metaTool ? this.#meta() : this.#skills.toolOf(name))
  }

  /**
   * Calls the listener after every change of what models are told (tools, groups, presets), but for what one conversation
   * switches in its own state; what it returns forgets the listener.
   */
  onChange(listener: () => void): () => void {
    return this.#schemas.onChange(listener)
  }

  /** Whether calls of this tool are executed outside. */
  isExternalTool(name: string): boolean {
    return this.#registry.get(name)?.tool.external ?? false
  }

  /** Takes a tool away; false when there was none. Throws `deletion_not_allowed` where the options say so. */
  remove(name: string): boolean {
    this.#checkDeletion()
    const removed = this.#registry.delete((entry) => entry.name === name) > 0
    this.#schemas.clear()
    return removed
  }

  /** Takes all tools, groups and sources away. Throws `deletion_not_allowed` where the options say so. */
  clear(): void {
    this.#checkDeletion()
    this.#sources.delete(() => true)
    this.#registry.delete(() => true)
    this.#skills.delete(() => true)
    this.#groups.clear()
    this.#schemas.clear()
  }

  /** Replaces the preset arguments of a tool; an empty object takes them away. Throws `unknown_tool`, `invalid_preset`. */
  updatePresetArgs(name: string, args: JsonObject): void {
    this.#registry.replace(withPresets(this.#registry.need(name), args))
    this.#schemas.clear()
  }

  /** Adds a group with its tools. Throws `group_reserved` for `basic`, `name_clash` for a group or tool that exists. */
  createGroup(group: ToolGroup): void {
    checkNames("a tool group", group)
    for (const list of ["tools", "mcps", "skills"] as const) checkList(`${list} of a tool group`, group[list])
    for (const source of group.mcps ?? []) checkSource(source)
    this.#groups.add(group)
    try {
      this.#add(group.tools ?? [], { group: group.name })
      this.#addSkills(group.skills, group.name)
    } catch (error) {
      this.#registry.leave([group.name])
      this.#groups.delete([group.name])
      throw error
    }
    for (const source of group.mcps ?? []) this.#sources.add(source, { group: group.name })
    if (this.#sources.size > 0 || this.#skills.size > 0) this.#ready = undefined
  }

  /** Switches groups for every conversation that did not switch them itself. Throws `unknown_group`, `group_reserved`. */
  updateGroups(names: readonly string[], active: boolean): void {
    this.#groups.update(names, active)
    this.#schemas.clear()
  }

  /** Takes groups away, with their tools. Throws `unknown_group`, `group_reserved`, and then changes nothing. */
  removeGroups(names: readonly string[]): void {
    this.#checkDeletion()
    this.#groups.check(names, "removed")
    this.#sources.delete((_source, group) => names.includes(group))
    this.#registry.leave(names)
    this.#skills.delete((group) => names.includes(group))
    this.#groups.delete(names)
    this.#schemas.clear()
  }

  /** Takes the tools of sources away, by the sources' names. Closing a source is left to whoever opened it. */
  // eslint-disable-next-line @typescript-eslint/require-await -- sources may have to be told one day
  async removeSources(names: readonly string[]): Promise<void> {
    this.#checkDeletion()
    checkNameList("removeSources()", names)
    this.#sources.delete((source) => names.includes(source.name))
    this.#registry.delete((entry) => entry.source !== undefined && names.includes(entry.source.source.name))
    this.#schemas.clear()
  }

  /**
   * Lists the sources given as `mcps`, which connect for it, and those that said that their tools changed; agents await it
   * before their first model call. Rejects with `source_failed` when one fails or takes longer than a call may: the others are
   * there, and it is tried again with the next call.
   */
  ready(): Promise<void> {
    this.#ready ??= Promise.all([this.#sources.list("all"), this.#skills.check()]).then(nothing, (error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /**
   * Lists those sources again that said that their tools changed; `undefined` when none did. Agents await it before each model
   * call. What a source was registered with still holds: what is chosen of it, groups, presets. Rejects with `source_failed`
   * as `ready()`; the tools are as before then.
   */
  refresh(): Promise<void> | undefined {
    return this.#sources.hasChanged ? this.#sources.list("changed") : undefined
  }

  /**
   * Adds skills: folders with a `SKILL.md`, skills, or loaders. `ready()` reads them, and each `skillPrompt()` looks again.
   * Throws `unknown_group`, `name_clash`, `invalid_skill`.
   */
  registerSkills(skills: SkillInput | readonly SkillInput[], options: { group?: string | undefined } = {}): void {
    this.#addSkills(Array.isArray(skills) ? (skills as readonly SkillInput[]) : [skills as SkillInput], options.group)
    this.#ready = undefined
  }

  /**
   * Takes away skills, by the names of skills, or of loaders with all that they list; false when there was none. Throws
   * `deletion_not_allowed` where the options say so.
   */
  removeSkills(names: readonly string[]): boolean {
    this.#checkDeletion()
    checkNameList("removeSkills()", names)
    return this.#skills.delete((_group, name) => names.includes(name)) > 0
  }

  /**
   * What a system prompt says of the skills in the groups that are on; undefined when there are none. It looks again each
   * time. `report` hears of skills that were left out.
   */
  skillPrompt(state?: ToolState, report?: SkillReport): Promise<string | undefined> | undefined {
    return this.#skills.size === 0 ? undefined : this.#skills.prompt((group) => this.#isOn(group, state), report)
  }

  /** A state for one conversation, in which everything is as in the toolkit until it is switched. */
  newState(): ToolState {
    return new ToolState(this.#groups)
  }

  /**
   * What a model is told: the tools of `basic`, the meta tool once there is a group, and the tools of the groups that are
   * on. The same array until something changes.
   */
  schemas(state?: ToolState): readonly ToolSchema[] {
    const key = state ? state.key : this.#groups.key
    let schemas = this.#schemas.get(key)
    if (schemas === undefined) {
      schemas = this.#toolsOn(state)
      this.#schemas.set(key, schemas)
    }
    return schemas
  }

  #toolsOn(state: ToolState | undefined): readonly ToolSchema[] {
    const entries = this.#registry.all()
    const always = entries.filter(({ groups }) => groups[0] === basic)
    const on = entries.filter((entry) => entry.groups[0] !== basic && this.#canBeUsed(entry, state))
    const own = [this.#meta(state), this.#skillTool(state)].filter((tool) => tool !== undefined)
    return [...always, ...own, ...on].map(({ schema }) => schema)
  }

  /** Whether a call of this tool could have to wait for a person: if not, it may start as soon as it is known. */
  mayAsk(name: string, policy?: ApprovalPolicy): boolean {
    const tool = this.get(name)
    return tool !== undefined && mayAsk(name, tool, policy)
  }

  /**
   * A rule that a person said to remember, for an `allow` list: it holds for the tools that it speaks of now, until their
   * definition changes. Throws `invalid_rule`.
   */
  remembered(rule: string): RememberedRule {
    return rememberedRule(compileRule(rule), this.#registry.all())
  }

  /** Whether calls of this tool may run beside others; an unknown one may, for it only fails. */
  isConcurrencySafe(name: string): boolean {
    if (name === this.#metaTool) return false
    return this.#registry.get(name)?.tool.concurrencySafe ?? true
  }

  /**
   * Executes a call. Whatever goes wrong is the result's state, never thrown: invalid input, an unknown or inactive tool, a
   * tool that throws or takes too long are `error`; a call that is not allowed is `denied`; one that waits for a person or
   * for a result from outside is `suspended`, with a `PendingCall` in `metadata.pending`.
   */
  execute(toolUse: ToolUseBlock, options: ExecuteOptions = {}): ToolRun {
    if (typeof toolUse?.name !== "string" || typeof options !== "object" || options === null) {
      const message = "execute() takes a tool_use block, { type, id, name, input }, and options."
      throw toolError("invalid_argument", message)
    }
    return executeCall(toolUse, this.#find(toolUse.name, options.state), options, this.#defaults)
  }

  #find(name: string, state: ToolState | undefined): ToolEntry | Ending {
    const entry = this.#registry.get(name)
    if (entry && this.#canBeUsed(entry, state)) return entry
    const meta = this.#meta(state)
    if (meta && name === meta.name) return ownEntry(this.#bound(meta, state), name)
    const skill = name === skillToolName ? this.#skillTool(state) : undefined
    if (skill) return ownEntry(skill, name)
    if (entry === undefined) return refused("unknown_tool", this.#unknown(name, state))
    const { groups } = entry
    const canSwitch = meta && groups.some((group) => this.#groups.get(group)?.manageable)
    const advice = canSwitch ? `Switch it on with "${meta.name}" first.` : "It cannot be used now."
    const where =
      groups.length > 1 ? `groups "${groups.join('", "')}", which are` : `group "${groups.join()}", which is`
    return refused("tool_inactive", `The tool "${name}" is in the ${where} not active. ${advice}`)
  }

  #bound(meta: AnyTool, state: ToolState | undefined): AnyTool {
    const target = state ?? this
    return boundMetaTool(meta, this.#groups, state, (names, active) => target.updateGroups(names, active))
  }

  #unknown(name: string, state: ToolState | undefined): string {
    const names = this.schemas(state).map((schema) => schema.name)
    const listed = names.slice(0, mostNames).join(", ") + (names.length > mostNames ? ", …" : "")
    const gone = this.#removed.sourceOf(name)
    const missing = gone ? `The tool "${name}" was removed by its server "${gone}".` : `There is no tool "${name}".`
    return `${missing}${didYouMean(name, names)} ${names.length > 0 ? `The tools: ${listed}.` : "There are no tools."}`
  }

  #canBeUsed({ groups }: ToolEntry, state: ToolState | undefined): boolean {
    return groups.some((group) => this.#isOn(group, state))
  }

  #isOn(name: string, state: ToolState | undefined): boolean {
    if (name === basic) return true
    const group = this.#groups.get(name)
    return group !== undefined && (state ? state.isActive(group) : group.active)
  }

  #meta(state?: ToolState): AnyTool | undefined {
    return this.#metaTool && metaTool(this.#metaTool, this.#groups, state)
  }

  #skillTool(state: ToolState | undefined): AnyTool | undefined {
    return this.#skills.size === 0 ? undefined : this.#skills.tool((group) => this.#isOn(group, state))
  }

  #addSkills(skills: readonly SkillInput[] | undefined, group: string = basic): void {
    if (skills === undefined || skills.length === 0) return
    if (!this.#groups.has(group)) throw unknownGroup(group, this.#groups.names())
    if (this.#registry.get(skillToolName)) throw takenBySkills()
    this.#skills.add(skills, group)
  }

  #add(tools: readonly AnyTool[], options: RegisterOptions, source?: Registration): void {
    const { group = basic } = options
    if (!this.#groups.has(group)) throw unknownGroup(group, this.#groups.names())
    if (this.#skills.size > 0 && tools.some((tool) => tool?.name === skillToolName)) throw takenBySkills()
    this.#registry.add(tools, options, source, () => this.#checkDeletion())
    this.#schemas.clear()
  }

  async #registerSource(source: ToolSource, options: SourceOptions): Promise<void> {
    const registration = this.#sources.add(source, options)
    try {
      await this.#sources.listOne(registration)
    } catch (error) {
      this.#sources.drop(registration)
      throw error
    }
  }

  /** Registers what a source has listed for the first time, or puts it in the place of what it had listed before. */
  #take(registration: Registration, listed: readonly AnyTool[]): void {
    const { source, options, taken } = registration
    const { enable, disable, ...rest } = options
    const tools = chosenTools(source.name, listed, enable, disable, taken !== undefined)
    const { gone, clashes } = taken ? this.#relist(registration, tools) : { gone: [], clashes: [] }
    if (taken === undefined) this.#add(tools, rest, registration)
    registration.taken = new Set(tools.map(({ name }) => name))
    this.#removed.add(gone, source.name)
    this.#schemas.clear()
    if (clashes.length === 0) return
    const message = `"${source.name}" has new tools whose names are taken, and they were left out: ${clashes.join(", ")}.`
    throw toolError("source_failed", message, { details: { source: source.name } })
  }

  /** What is wrong with a tool of a server that has changed is the server's fault, not that of who registered it. */
  #relist(registration: Registration, tools: readonly AnyTool[]): ReturnType<ToolRegistry["refresh"]> {
    try {
      return this.#registry.refresh(registration, tools)
    } catch (cause) {
      throw sourceFailed(registration.source, cause)
    }
  }

  #checkDeletion(): void {
    if (this.#allowDeletion) return
    const message = "This toolkit was made with allowToolDeletion: false: nothing in it can be removed or replaced."
    throw toolError("deletion_not_allowed", message)
  }
}
