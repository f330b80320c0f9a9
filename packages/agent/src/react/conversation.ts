import { type Msg, systemMsg, textOf } from "@agentscope-ts/message"
import type { ApprovalPolicy, RememberedRule } from "@agentscope-ts/tool"
import type { Home } from "../base/agent-run.ts"
import type { CallIds } from "../acting/call-ids.ts"
import type { InputEstimate } from "../budget/input-estimate.ts"
import type { WaitingRound } from "../waiting/round.ts"
import type { SubAgents } from "../sub-agents/sub-agents.ts"

/** What changes in a conversation beside the memory. Every field is absent until it is used. */
export class Conversation implements Home {
  /** The round of tool calls that waits for answers. */
  round: WaitingRound | undefined
  /** Messages that came while a round was open: they enter memory when it is closed. */
  inbox: readonly Msg[] | undefined
  /** The ids of the calls so far; made anew from the memory when it is absent. */
  callIds: CallIds | undefined
  /** How many tokens the requests take; kept as long as something limits them. */
  input: InputEstimate | undefined
  /** The agents that were asked through tools, as far as they are needed again. */
  subAgents: SubAgents | undefined
  #rules: readonly RememberedRule[] | undefined
  #skilled: { readonly skills: string; readonly system: Msg } | undefined
  #policy: ApprovalPolicy | undefined

  /** The system prompt with what is said of skills: the same message until that changes, as models find it again. */
  withSkills(system: Msg, skills: string | undefined): Msg {
    if (skills === undefined) return system
    if (this.#skilled?.skills !== skills) {
      this.#skilled = { skills, system: systemMsg([textOf(system), skills].filter((text) => text !== "").join("\n\n")) }
    }
    return this.#skilled.system
  }

  /** Rules that a person said to remember. */
  get rules(): readonly RememberedRule[] {
    return this.#rules ?? []
  }

  set rules(rules: readonly RememberedRule[]) {
    this.#rules = rules.length > 0 ? rules : undefined
    this.#policy = undefined
  }

  /** The agent's policy and the remembered rules; the same object until they change. */
  policy(base: ApprovalPolicy | undefined): ApprovalPolicy | undefined {
    if (this.#rules === undefined) return base
    this.#policy ??= { ...base, allow: [...(base?.allow ?? []), ...this.#rules] }
    return this.#policy
  }
}
