import { stateError } from "../error.ts"
import { SaveQueue } from "./save-queue.ts"
import type { LoadOptions, Modules, SessionStore } from "./session-store.ts"

/**
 * A session that one writer keeps open, to save it again and again in small steps. Whoever else writes to the session
 * meanwhile is found out where the store can tell: the next save rejects with `session_conflict`, and so do all after it.
 */
export interface OpenSession {
  /**
   * Restores modules from what the session was when it was opened, as {@link SessionStore.load} does; false when there was none.
   * Once, before the first save.
   */
  load(modules: Modules, options?: Pick<LoadOptions, "strict">): Promise<boolean>
  /**
   * Saves the modules as they are now, or a moment later: saves that are asked for while one is being written are written
   * together. When the promise resolves, what was asked for is where the store keeps it; when it rejects, the next save
   * writes it once more.
   * @throws AgentScopeError `session_conflict` when somebody else has written to the session, `session_not_found` when it was
   * deleted, `session_failed`.
   */
  save(modules: Modules): Promise<void>
}

/**
 * Opens a session of any store: by its own `open` where it has one, else by whole saves and loads, which cannot tell when
 * somebody else writes.
 */
export async function openSession(store: SessionStore, id: string): Promise<OpenSession> {
  const given = store as Partial<SessionStore> | null | undefined
  if (typeof given?.save !== "function" || typeof given.load !== "function") {
    const message =
      "openSession takes a session store, such as new JsonSessionStore({ dir }): what it got has no save or load."
    throw stateError("invalid_argument", message)
  }
  return store.open ? store.open(id) : openWhole(store, id)
}

/** Opens a session that is saved whole each time. */
export function openWhole(store: SessionStore, id: string): OpenSession {
  const saves = new SaveQueue()
  // async: a store in JavaScript may well answer at once
  return {
    load: async (modules, options) => store.load(id, modules, options),
    save: (modules) => saves.add(async () => store.save(id, modules)),
  }
}
