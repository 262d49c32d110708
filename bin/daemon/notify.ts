// What a service manager hears (the protocol of sd_notify): ready, a heartbeat while the manager is alive, a line of status, stopping.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { WriteLog } from '../../lib/base/log-codes.js'
import { SECOND } from '../../lib/base/time.js'

/** Heartbeats in one period of the watchdog: one or two may be late. */
const BEATS_PER_PERIOD = 3
const SEND_MS = 5 * SECOND
const STATUS_MS = 30 * SECOND

/**
 * Node.js has no datagram sockets of the file system, so that a small program sends each message. systemd-notify waits until the
 * message has been attributed; perl-base is part of every Debian, containers without systemd included.
 */
const senders: readonly Sender[] = [
  { program: 'systemd-notify', words: (lines) => lines },
  {
    program: 'perl',
    words: (lines) => [
      '-MSocket',
      '-e',
      'my $p = $ENV{NOTIFY_SOCKET}; $p =~ s/^@/\\0/; socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die "$!\\n"; ' +
        'send($s, join("\\n", @ARGV), 0, pack_sockaddr_un($p)) or die "$!\\n"',
      '--',
      ...lines,
    ],
  },
]

interface Sender {
  readonly program: string
  readonly words: (lines: readonly string[]) => readonly string[]
}

export interface NotifyParts {
  readonly environment: NodeJS.ProcessEnv
  readonly pid: number
  readonly log: WriteLog
  /** Heartbeats of the host threads: one that has not risen since the last time withholds the manager's own. */
  readonly beats: () => ReadonlyMap<string, number>
  readonly condition: () => string
}

export interface Notifier {
  readonly ready: () => void
  /** Settles when the message has been sent, or cannot be. */
  readonly stopping: () => Promise<void>
}

/** Without a socket in the environment nothing is sent. Its variables are taken out, so that no script of an operator speaks for the manager. */
export function openNotifier({ environment, pid, log, beats, condition }: NotifyParts): Notifier {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC, WATCHDOG_PID } = environment
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name]
  if (!socket) return { ready: () => undefined, stopping: async () => undefined }
  const isWatched = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === pid
  const periodMs = isWatched ? Number(WATCHDOG_USEC ?? 0) / 1_000 : 0
  const send = openSender({ socket, environment, log })
  const threads = watchBeats(beats)
  const beat = () => {
    const silent = threads()
    if (silent.length > 0) log('error', 'watchdog-withheld', { threads: silent })
    else void send([...(periodMs > 0 ? ['WATCHDOG=1'] : []), `STATUS=${condition()}`], { isUrgent: false })
  }
  let timer: NodeJS.Timeout | undefined
  return {
    ready: () => {
      void send(['READY=1', `STATUS=${condition()}`], { isUrgent: true })
      timer = setInterval(beat, periodMs > 0 ? periodMs / BEATS_PER_PERIOD : STATUS_MS)
      timer.unref()
    },
    stopping: () => {
      clearInterval(timer)
      return send(['STOPPING=1', 'STATUS=stopping'], { isUrgent: true })
    },
  }
}

/** Names the threads that have not moved since the last call; one that has just come up is given until the next. */
export function watchBeats(beats: () => ReadonlyMap<string, number>): () => readonly string[] {
  let before: ReadonlyMap<string, number> = new Map()
  return () => {
    const current = beats()
    const silent = [...current].filter(([name, count]) => before.get(name) === count).map(([name]) => name)
    before = current
    return silent
  }
}

interface SenderParts extends Pick<NotifyParts, 'environment' | 'log'> {
  readonly socket: string
}

/** One message after the other. A heartbeat is left out while another message is under way: the next one follows soon. */
function openSender({ socket, environment, log }: SenderParts) {
  const sender = senders.find(({ program }) => isInstalled(program, environment.PATH ?? ''))
  if (!sender) log('warn', 'notify-program-missing', { needed: senders.map(({ program }) => program) })
  let running = 0
  let last = Promise.resolve()
  let reported = false
  return (lines: readonly string[], { isUrgent }: { readonly isUrgent: boolean }): Promise<void> => {
    if (!sender || (running > 0 && !isUrgent)) return last
    running += 1
    last = last
      .then(() => run(sender, lines))
      .then((problem) => {
        running -= 1
        if (problem !== undefined && !reported) log('warn', 'notify-failed', { program: sender.program, problem })
        reported = problem !== undefined
      })
    return last
  }

  function run({ program, words }: Sender, lines: readonly string[]): Promise<string | undefined> {
    return new Promise((resolve) => {
      const env = { ...environment, NOTIFY_SOCKET: socket }
      execFile(program, [...words(lines)], { env, timeout: SEND_MS, killSignal: 'SIGKILL' }, (error) =>
        resolve(error?.message.trim()),
      )
    })
  }
}

function isInstalled(program: string, search: string): boolean {
  return search.split(':').some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
