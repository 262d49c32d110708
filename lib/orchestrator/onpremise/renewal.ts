// Rebuilds a server on its host and fills it from another one; its old data are kept until it has caught up.
import { done, fail, ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { forgetKey } from '../../connect/sql/known-keys.js'
import { addressText } from '../../model/server/server.js'
import { type CloneTask, checkClone, cloneInto, hasCopy, settleClone } from '../clone.js'
import { fillEnvironment, fillText } from '../fill.js'
import { DATA_MARK, type FillRun, type Reprovision } from '../index.js'
import type { HostStep } from './host.js'
import type { OnPremiseOptions } from './options.js'
import type { InTurn, Turn, Work } from './turn.js'

/** The actions of every server that a rebuild uses. */
export interface ReprovisionSteps {
  readonly inTurn: InTurn
  /** Creates an empty server from the newest archive and waits until it answers. */
  readonly makeNewest: Work
  readonly stop: Work
  /** Starts it on the configuration that is on the host, and waits until it answers. */
  readonly startAsItIs: Work
}

/** Removing a large data folder takes its time. */
const REMOVAL_MS = 15 * MINUTE

export function renewalOf(options: OnPremiseOptions, steps: ReprovisionSteps): Reprovision {
  const { inTurn } = steps
  const { deadlineMs, fillMs } = options
  return {
    probe: async (service, run) => {
      let state: Turn['facts']['renewal'] = 'none'
      const probed = await inTurn(async ({ facts }) => {
        state = facts.renewal
        return done
      })(service, run)
      return probed.ok ? ok(state) : probed
    },
    begin: (service, { donor, ...run }) => inTurn((turn) => begin(turn, options, { ...steps, donor }))(service, run),
    fill: (service, { donor, ...run }) =>
      inTurn((turn) => fill(turn, options, { ...steps, donor }), fillMs + deadlineMs)(service, run),
    finish: inTurn((turn) => take(turn, 'finish'), deadlineMs + REMOVAL_MS),
    undo: inTurn((turn) => undo(turn, options, steps), deadlineMs + REMOVAL_MS),
  }
}

interface From {
  readonly donor: Donor
}

type Donor = FillRun['donor']

const isCloned = ({ flavour }: Donor): boolean => flavour !== 'mariadb'

const cloneTask = ({ service }: Turn, { login }: OnPremiseOptions, donor: Donor): CloneTask => ({
  ...{ donor, target: service, login },
})

/** The server stops; its data and a copy of its configuration are moved aside; an empty one replaces them. */
async function begin(
  turn: Turn,
  options: OnPremiseOptions,
  { donor, makeNewest, stop }: ReprovisionSteps & From,
): Promise<Result<void>> {
  const { facts, service, run } = turn
  const dataDir = options.dataDir(service)
  if (facts.renewal !== 'none')
    return fail('wrong-state', `${service.name}: old data already exist beside ${dataDir} on the host`)
  if (facts.data === 'foreign' && !run.force)
    return fail(
      'data-exists',
      `${service.name}: ${dataDir} on the host holds data that the manager did not create (no ${DATA_MARK})`,
    )
  // Everything that can be refused is refused while the server still runs.
  const fits = await take(turn, 'room')
  if (!fits.ok) return fits
  const able = isCloned(donor) ? await checkClone(cloneTask(turn, options, donor)) : done
  if (!able.ok) return able
  const stopped = await stop(turn)
  if (!stopped.ok) return stopped
  const kept = await take(turn, 'keep')
  return kept.ok ? makeNewest(turn) : kept
}

/** The copy, then a start on it: plugins and accounts of the copy hold from then on. */
async function fill(
  turn: Turn,
  options: OnPremiseOptions,
  { donor, stop, startAsItIs }: ReprovisionSteps & From,
): Promise<Result<void>> {
  if (isCloned(donor)) return fillByClone(turn, cloneTask(turn, options, donor), startAsItIs)
  const copied = await copy(turn, options, donor)
  if (!copied.ok) return copied
  const stopped = await stop(turn)
  if (!stopped.ok) return stopped
  const started = await startAsItIs(turn)
  return started.ok ? take(turn, 'filled') : started
}

/** Over SQL, from server to server; then a start on it where nothing else starts it. */
async function fillByClone(turn: Turn, task: CloneTask, startAsItIs: Work): Promise<Result<void>> {
  turn.run.log(fillText(task))
  const copied = await cloneInto(task, turn.run)
  if (!copied.ok) return copied
  const ended = await untilEnded(turn, task)
  if (!ended.ok) return ended
  const started = await startAsItIs(turn)
  if (!started.ok) return started
  const settled = await settleClone(task, copied.value, turn.run)
  return settled.ok ? take(turn, 'filled') : settled
}

/** It stops automatically, and systemd restarts it where it supervises the server. */
async function untilEnded(turn: Turn, task: CloneTask): Promise<Result<void>> {
  for (;;) {
    const settled = await take(turn, 'settle')
    if (settled.ok || turn.run.signal.aborted) return settled
    if (await hasCopy(task)) return done
  }
}

async function copy({ host, service, run }: Turn, options: OnPremiseOptions, donor: Donor): Promise<Result<void>> {
  const text = await options.builtIn('fill')
  if (!text.ok) return text
  const task = { donor, target: service, login: options.login }
  run.log(fillText(task))
  const environment = fillEnvironment({
    ...task,
    ...{ dataDir: options.dataDir(service), baseDir: options.baseDir(service), tlsFiles: options.tlsFiles(service) },
  })
  // A manager that is killed leaves it running: `undo` finds and stops the processes that use the data folder.
  return host.run('fill', { text: `cd "$MANAGER_DATADIR"\n${text.value}`, environment })
}

/** Restores the old data with their configuration; where none are kept, the server is only started. */
async function undo(
  turn: Turn,
  options: OnPremiseOptions,
  { startAsItIs }: Pick<ReprovisionSteps, 'startAsItIs'>,
): Promise<Result<void>> {
  const { host, service } = turn
  const restored = await take(turn, 'restore')
  if (!restored.ok)
    return fail(
      restored.failure.code,
      `${restored.failure.message}; nothing beside ${options.dataDir(service)} was removed`,
    )
  forgetKey(options.login.knownKeys, addressText(service)) // its old keys are restored, too
  const facts = await host.inspect()
  if (!facts.ok) return facts
  if (facts.value.data === 'none')
    return fail('orchestrator-failed', `${service.name}: ${options.dataDir(service)} on the host holds no data`)
  const started = await startAsItIs({ ...turn, facts: facts.value })
  return started.ok ? take(turn, 'drop') : started
}

async function take({ host }: Pick<Turn, 'host'>, step: HostStep): Promise<Result<void>> {
  const taken = await host.step(step)
  return taken.ok ? done : taken
}
