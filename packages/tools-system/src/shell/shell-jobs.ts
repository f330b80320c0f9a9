import { systemError } from "../error.ts"
import { BoundedOutput } from "../process/bounded-output.ts"
import { type ProcessRequest, type RunningProcess, startProcess } from "../process/run-process.ts"

/** The options of {@link ShellJobs}. */
export interface ShellJobsOptions {
  /** How many may run at once; 10 unless given. */
  readonly maxRunning?: number | undefined
  /** Bytes of unread output kept of each, start and end; 100 000 unless given. */
  readonly maxOutputBytes?: number | undefined
}

/** What is known of a background command when it is looked at. */
export interface JobReport {
  readonly command: string
  readonly status: "running" | "ended" | "killed"
  /** The exit code, or the negative number of the signal that ended it; absent while it runs. */
  readonly returncode?: number
  /** Both outputs since the last look. */
  readonly output: string
}

interface Job {
  readonly owner: string
  readonly command: string
  readonly process: RunningProcess
  readonly ended: Promise<void>
  unread: BoundedOutput
  status: JobReport["status"]
  returncode?: number
}

/** The longest that a background command may run. */
const longestMs = 24 * 60 * 60 * 1000
/** Commands that ended and were not looked at since. */
const mostEnded = 50

/**
 * Commands that run in the background, for `bashTool({ jobs })` and the tools that read and end them. Their number and their
 * output are bounded, each runs for a day at most and is seen only by the agent that started it. `await using`, or
 * {@link ShellJobs.close}, ends all of them; so does the end of this program, which they do not delay.
 */
export class ShellJobs implements AsyncDisposable {
  readonly #jobs = new Map<string, Job>()
  readonly #maxRunning: number
  readonly #maxOutputBytes: number
  readonly #closing = new AbortController()
  #count = 0

  constructor({ maxRunning = 10, maxOutputBytes = 100_000 }: ShellJobsOptions = {}) {
    this.#maxRunning = maxRunning
    this.#maxOutputBytes = maxOutputBytes
  }

  /** How many run. */
  get running(): number {
    return [...this.#jobs.values()].filter((job) => job.status === "running").length
  }

  /** Starts a command and gives the id that it is known by; throws `too_many_jobs`, and `spawn_failed` by {@link read}. */
  start(command: string, owner: string, request: Pick<ProcessRequest, "file" | "args" | "cwd" | "env">): string {
    if (this.#closing.signal.aborted) throw systemError("too_many_jobs", "Background commands were closed.")
    if (this.running >= this.#maxRunning) {
      throw systemError(
        "too_many_jobs",
        `${this.#maxRunning} commands run in the background, and no more may. End one with KillShell first.`,
      )
    }
    const id = `bash_${++this.#count}`
    const unread = (): BoundedOutput => new BoundedOutput(this.#maxOutputBytes)
    const process = startProcess({
      ...request,
      timeoutMs: longestMs,
      maxOutputBytes: 1000,
      signal: this.#closing.signal,
      background: true,
      onBytes: (chunk) => job.unread.push(chunk),
    })
    const ended = process.outcome.then(
      ({ returncode }) => {
        job.returncode = returncode
        if (job.status === "running") job.status = "ended"
      },
      (error: unknown) => {
        job.status = this.#closing.signal.aborted ? "killed" : "ended"
        job.unread.push(Buffer.from(error instanceof Error ? error.message : String(error)))
      },
    )
    const job: Job = { owner, command, process, ended, unread: unread(), status: "running" }
    this.#jobs.set(id, job)
    this.#forgetOld()
    return id
  }

  /** The state of a command and what it wrote since the last look; throws `no_such_job`. */
  read(id: string, owner: string): JobReport {
    const job = this.#find(id, owner)
    const output = job.unread.text()
    job.unread = new BoundedOutput(this.#maxOutputBytes)
    const { command, status, returncode } = job
    return { command, status, output, ...(returncode !== undefined && { returncode }) }
  }

  /** Ends a command and everything it started, and tells what it wrote last; throws `no_such_job`. */
  async kill(id: string, owner: string): Promise<JobReport> {
    const job = this.#find(id, owner)
    if (job.status === "running") {
      job.status = "killed"
      job.process.stop()
      await job.ended
    }
    return this.read(id, owner)
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#jobs.values()].map((job) => job.ended))
    this.#jobs.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #find(id: string, owner: string): Job {
    const job = this.#jobs.get(id)
    if (job?.owner === owner) return job
    const own = [...this.#jobs].filter(([, each]) => each.owner === owner).map(([each]) => each)
    throw systemError(
      "no_such_job",
      `There is no background command "${id.slice(0, 100)}".${own.length === 0 ? " None was started." : ` There are: ${own.join(", ")}.`}`,
    )
  }

  #forgetOld(): void {
    const ended = [...this.#jobs].filter(([, job]) => job.status !== "running").map(([id]) => id)
    for (const id of ended.slice(0, -mostEnded)) this.#jobs.delete(id)
  }
}
