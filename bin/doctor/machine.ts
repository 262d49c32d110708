// Checks of this machine: working directory, key, disk, limits of the process, clock, ports.
import { constants } from 'node:fs'
import { access, open, readFile, rm, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { counted } from '../../lib/base/counted.js'
import { isOpenToOthers, modeOf, printMode } from '../../lib/base/files/modes.js'
import type { Configuration, Settings } from '../../lib/settings/index.js'
import { readKeyFile } from '../../lib/settings/index.js'
import { currentFormat, isOccupied, newerText, readFormat } from '../../lib/store/index.js'
import { codeOf, reasonOf } from '../../lib/store/kit/atomic-write.js'
import { capture } from '../artefact/programs.js'
import type { Verdict } from './verdict.js'

const MIB = 1 << 20
const LEAST_MIB = 256
const WARN_MIB = 1_024
/** Descriptors of a manager without clusters, and of each server: sessions of probes, of effects and to its host. */
const OWN_FILES = 256
const FILES_A_SERVER = 8

export async function checkDirectory(settings: Settings): Promise<readonly Verdict[]> {
  const directory = path.resolve(settings['monitoring-datadir'])
  const about = { check: 'directory', subject: directory } as const
  const found = await stat(directory).catch((error: unknown) => codeOf(error))
  if (found === 'ENOENT')
    return [
      {
        ...about,
        state: 'warning',
        fact: 'does not exist',
        remedy: 'The manager creates it at its first start, if it may write its parent.',
      },
    ]
  if (typeof found === 'string')
    return [
      {
        ...about,
        state: 'problem',
        fact: `cannot be read (${found})`,
        remedy: 'Run the doctor as the user of the manager, or correct its owner.',
      },
    ]
  const isOpen = isOpenToOthers(found.mode)
  const written = await tryWrite(directory)
  return [
    written === undefined
      ? { ...about, state: 'ok', fact: 'can be written' }
      : {
          ...about,
          state: 'problem',
          fact: written,
          remedy: `Give it to the user of the manager: chown -R manager: ${directory}`,
        },
    ...(isOpen
      ? [
          {
            ...about,
            state: 'warning',
            fact: `other users may enter it (mode ${printMode(found.mode)})`,
            remedy: `chmod 0750 ${directory}`,
          } as const,
        ]
      : []),
    await formatVerdict(directory),
  ]
}

async function tryWrite(directory: string): Promise<string | undefined> {
  const file = path.join(directory, `.doctor-${process.pid}.tmp`)
  try {
    const handle = await open(file, 'wx', modeOf('state'))
    await handle.close()
    return undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}

async function formatVerdict(directory: string): Promise<Verdict> {
  const about = { check: 'format', subject: directory } as const
  const found = await readFormat(directory)
  if (!found.ok)
    return {
      ...about,
      state: 'problem',
      fact: found.failure.message,
      remedy: 'Restore the state: manager restore-state.',
    }
  if (found.value === undefined) return { ...about, state: 'ok', fact: 'no state yet' }
  const { format } = found.value
  if (format > currentFormat)
    return {
      ...about,
      state: 'problem',
      fact: newerText(directory, found.value, currentFormat),
      remedy: 'Install the newer version again.',
    }
  const next = format < currentFormat ? `; the next start brings it to ${currentFormat}` : ''
  return { ...about, state: 'ok', fact: `${format}${next}` }
}

export async function checkKey(settings: Settings): Promise<readonly Verdict[]> {
  const file = path.resolve(settings['monitoring-key-path'])
  const about = { check: 'key', subject: file } as const
  const key = await readKeyFile(file)
  if (!key.ok)
    return [
      {
        ...about,
        state: 'problem',
        fact: key.failure.message,
        remedy: `Give it to the user of the manager, mode 0600.`,
      },
    ]
  return [
    key.value === undefined
      ? {
          ...about,
          state: 'warning',
          fact: 'does not exist: saved secrets are stored as plain text',
          remedy: `manager keygen ${file}`,
        }
      : { ...about, state: 'ok', fact: 'can be read by its owner only' },
  ]
}

export async function checkDisk(settings: Settings): Promise<readonly Verdict[]> {
  const directory = await existingAbove(path.resolve(settings['monitoring-datadir']))
  const { bavail, bsize, ffree, files } = await statfs(directory)
  const free = Math.floor((bavail * bsize) / MIB)
  const about = { check: 'disk', subject: directory } as const
  const remedy = 'Free space: without it no plan can be written to the journal, and no operation begins.'
  const state = free < LEAST_MIB ? 'problem' : free < WARN_MIB ? 'warning' : 'ok'
  const inodes = files > 0 && ffree < 1_000
  return [
    { ...about, state, fact: `${free} MiB free`, ...(state === 'ok' ? {} : { remedy }) },
    ...(inodes ? [{ ...about, state: 'problem', fact: `${ffree} inodes free`, remedy } as const] : []),
  ]
}

async function existingAbove(directory: string): Promise<string> {
  const exists = await access(directory, constants.F_OK).then(
    () => true,
    () => false,
  )
  return exists || directory === '/' ? directory : existingAbove(path.dirname(directory))
}

/** Soft limit of open files, by what a fleet of this size may open. */
export async function checkLimits({ clusters }: Configuration): Promise<readonly Verdict[]> {
  const servers = [...clusters.values()].reduce((sum, { settings }) => sum + settings['db-servers-hosts'].length, 0)
  const needed = OWN_FILES + servers * FILES_A_SERVER
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(text) ?? []
  const about = { check: 'limits', subject: 'open files' } as const
  if (soft === '')
    return [{ ...about, state: 'warning', fact: 'cannot be read from /proc/self/limits', remedy: 'Mount /proc.' }]
  const isEnough = soft === 'unlimited' || Number(soft) >= needed
  return [
    isEnough
      ? { ...about, state: 'ok', fact: `${soft}, ${needed} are enough for ${counted(servers, 'server')}` }
      : {
          ...about,
          state: 'problem',
          fact: `${soft}, ${counted(servers, 'server')} may need ${needed}`,
          remedy: `Set LimitNOFILE=${needed} in the unit, or ulimit -n ${needed} before the start.`,
        },
  ]
}

/** Whether something keeps the clock right: certificates, tokens and the timeline depend on it. */
export async function checkTime(): Promise<readonly Verdict[]> {
  const about = { check: 'time', subject: 'clock of this machine' } as const
  const answer = await capture('timedatectl', ['show', '--property=NTPSynchronized', '--value']).catch(() => '')
  if (answer.trim() === 'yes') return [{ ...about, state: 'ok', fact: 'synchronised' }]
  return [
    answer.trim() === 'no'
      ? { ...about, state: 'warning', fact: 'not synchronised', remedy: 'Run chrony or systemd-timesyncd.' }
      : {
          ...about,
          state: 'ok',
          fact: `${new Date().toISOString()}; whether it is synchronised is not known: timedatectl does not answer`,
        },
  ]
}

/** Whether the manager can listen; while it runs on the working directory, its ports are its own. */
export async function checkPorts(settings: Settings): Promise<readonly Verdict[]> {
  const isRunning = await isOccupied(path.resolve(settings['monitoring-datadir'])).catch(() => false)
  const wanted = [
    ...(settings['api-server'] ? [{ name: 'api-port', host: settings['api-bind'], port: settings['api-port'] }] : []),
    ...(settings['http-server']
      ? [{ name: 'http-port', host: settings['http-bind-address'], port: settings['http-port'] }]
      : []),
  ]
  return Promise.all(
    wanted.map(async ({ name, host, port }): Promise<Verdict> => {
      const about = { check: 'ports', subject: `${host}:${port}` } as const
      const problem = await tryListen(host, port)
      if (problem === undefined) return { ...about, state: 'ok', fact: `free for ${name}` }
      if (problem === 'EADDRINUSE' && isRunning)
        return { ...about, state: 'ok', fact: 'in use, and a manager runs on the working directory' }
      return {
        ...about,
        state: 'problem',
        fact: portProblems[problem] ?? problem,
        remedy: `End what uses it, or set ${name} or its address.`,
      }
    }),
  )
}

const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there (ports below 1024 need CAP_NET_BIND_SERVICE)',
  EADDRNOTAVAIL: 'no interface of this machine has this address',
}

const tryListen = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(codeOf(error) || reasonOf(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
