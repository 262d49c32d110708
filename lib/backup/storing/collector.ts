// Runs the process that stores the binary logs of a cluster, and starts another one when it ends.
import { type ChildProcess, fork } from 'node:child_process'
import { SECOND } from '../../base/time.js'
import { plainEnvironment } from '../../connect/shell/program.js'
import { disclose } from '../stream/index.js'
import type { LogSource, StoringOrder, StoringReport, StoringSettings } from './storing-state.js'

const SHORTEST_PAUSE_MS = SECOND
const LONGEST_PAUSE_MS = 30 * SECOND
/** Time to write what was received, once it is to end. */
const LEAVE_MS = 5 * SECOND

export class LogCollector {
  readonly #report: (report: StoringReport) => void
  #settings: StoringSettings
  #source: LogSource | undefined
  #child: ChildProcess | undefined
  #closed = false
  #restart: NodeJS.Timeout | undefined
  #pause = SHORTEST_PAUSE_MS

  constructor(settings: StoringSettings, report: (report: StoringReport) => void) {
    this.#settings = settings
    this.#report = report
    this.#start()
  }

  /** The process id; undefined between two processes. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  configure(settings: StoringSettings): void {
    this.#settings = settings
    this.#send({ type: 'configure', settings: disclose(settings) })
  }

  /** The file of a `fetch` is there, or why not. */
  fetched(id: number, failure?: string): void {
    this.#send({ type: 'fetched', id, ...(failure === undefined ? {} : { failure }) })
  }

  /** The primary whose log is stored from now on. */
  follow(source: LogSource | undefined): void {
    this.#source = source
    this.#send({ type: 'follow', ...(source ? { source } : {}) })
  }

  /** Resolves when everything received is written and the process has ended. */
  close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (!child) return Promise.resolve()
    this.#send({ type: 'close' })
    return new Promise((resolve) => {
      const late = setTimeout(() => child.kill('SIGKILL'), LEAVE_MS)
      child.once('exit', () => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  #start(): void {
    const child = fork(new URL('./binlog-worker.js', import.meta.url), {
      env: { ...plainEnvironment(), TZ: 'UTC' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    const begun = performance.now()
    let said = ''
    child.stderr?.on('data', (piece: Buffer) => {
      said = `${said}${piece.toString()}`.slice(-SECOND)
    })
    child.on('message', (report: StoringReport) => this.#report(report))
    child.on('error', () => undefined) // its exit follows, or it was never started
    child.once('close', (code, by) => this.#ended(`${by ?? `status ${code}`} ${said.trim()}`.trim(), begun))
    this.#send({ type: 'configure', settings: disclose(this.#settings) })
    if (this.#source) this.#send({ type: 'follow', source: this.#source })
  }

  #ended(reason: string, begun: number): void {
    this.#child = undefined
    if (this.#closed) return
    this.#pause =
      performance.now() - begun > LONGEST_PAUSE_MS ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, this.#pause * 2)
    this.#report({
      type: 'line',
      level: 'ERROR',
      text: `the process that stores binary logs ended: ${reason}; it is started again`,
    })
    this.#restart = setTimeout(() => this.#start(), this.#pause)
  }

  #send(order: StoringOrder): void {
    if (this.#child?.connected) this.#child.send(order, () => undefined)
  }
}
