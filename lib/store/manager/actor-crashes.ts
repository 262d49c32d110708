// Crash records of actors: JSON lines, bounded, for finding the cause.
import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import { reasonOf } from '../kit/atomic-write.js'
import { parseObject } from '../kit/state-file.js'

export interface ActorCrash {
  readonly at: number
  readonly actor: string
  readonly message: string
  readonly stack: string
}

/** Size from which the file moves to `actor-crashes.jsonl.old` and a new one begins. */
const ROTATE_FROM = 1 << 18

const fileOf = (directory: string): string => path.join(directory, 'actor-crashes.jsonl')

export async function recordActorCrash(directory: string, crash: ActorCrash): Promise<Result<void>> {
  const file = fileOf(directory)
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0,
    )
    if (size > ROTATE_FROM) await rename(file, `${file}.old`)
    await appendFile(file, `${JSON.stringify(crash)}\n`, { mode: modeOf('state') })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** The latest crashes, oldest first; unreadable lines are left out. */
export async function readActorCrashes(directory: string, limit = 20): Promise<readonly ActorCrash[]> {
  const text = await readFile(fileOf(directory), 'utf8').catch(() => '')
  return text
    .split('\n')
    .map(parseCrash)
    .filter((crash) => crash !== undefined)
    .slice(-limit)
}

function parseCrash(line: string): ActorCrash | undefined {
  const value = parseObject(line)
  if (!value || typeof value.at !== 'number') return undefined
  const { at, actor, message, stack } = value
  return { at, actor: String(actor ?? ''), message: String(message ?? ''), stack: String(stack ?? '') }
}
