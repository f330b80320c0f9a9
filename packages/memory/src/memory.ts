import type { Msg } from "@agentscope-ts/message"
import { StateModule } from "@agentscope-ts/state"

/**
 * A stretch of a memory, by index as in `Array.slice`: `from` included (default 0), `to` not (default: to the end), negative
 * numbers count from the end. `{ from: -2 }` are the newest two; `{}` is everything.
 */
export interface MemoryRange {
  from?: number | undefined
  to?: number | undefined
}

/**
 * A stretch of the messages that have certain marks: one of `mark`, none of `excludeMark`. The indexes count those messages
 * alone.
 */
export interface MarkedRange extends MemoryRange {
  mark?: string | readonly string[] | undefined
  excludeMark?: string | readonly string[] | undefined
}

/**
 * What an agent remembers of its conversation, oldest first. Each method may answer at once or by a promise, so that a memory
 * may live in a database.
 */
export abstract class Memory extends StateModule {
  /** Adds one message or several at the end; those whose id is remembered are passed over. */
  abstract add(messages: Msg | readonly Msg[]): void | Promise<void>
  /**
   * The messages of a range, all of them by default; of these the newest `last`. Without options the list may be the memory's
   * own and grow with it: read it, do not change or keep it.
   */
  abstract get(options?: MemoryRange & { last?: number | undefined }): readonly Msg[] | Promise<readonly Msg[]>
  /** Forgets messages by id, ids or range, and answers how many there were. */
  abstract delete(which: string | readonly string[] | MemoryRange): number | Promise<number>
  /** Forgets everything. */
  abstract clear(): void | Promise<void>
  /** How many messages are remembered. */
  abstract size(): number | Promise<number>

  /**
   * Remembers these messages in the place of all others: how a compaction puts a summary first. By default with `clear` and
   * `add`, and what was there is put back where adding fails; a memory that can do it in one step overrides it.
   */
  replace(messages: readonly Msg[]): void | Promise<void>
  async replace(messages: readonly Msg[]): Promise<void> {
    const before = [...(await this.get())]
    await this.clear()
    try {
      await this.add(messages)
    } catch (error) {
      await this.clear()
      await this.add(before)
      throw error
    }
  }
}
