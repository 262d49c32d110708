// Programs of the manager's host as ends of a transfer; a directory is one, too: tar.
import { readdir } from 'node:fs/promises'
import { isSecret, reveal } from '../../../base/secret.js'
import { openProgram, type PipedRequest } from '../../../connect/shell/piped.js'
import { reasonOf } from '../../../store/kit/atomic-write.js'
import { makeDirectory } from '../../../store/kit/working-directory.js'
import { StreamFailure } from '../kit/failed.js'
import type { DirectoryEnd, ProgramEnd, ProgramSource } from '../kit/spec.js'
import type { EndHooks, OpenSink, OpenSource } from './end.js'

export function openProgramSource(end: ProgramSource, hooks: EndHooks): OpenSource {
  const program = openProgram(request(end, hooks, 'pipe'))
  program.stdin.on('error', () => undefined) // a program may end without having read it
  program.stdin.end(isSecret(end.stdin) ? reveal(end.stdin) : end.stdin)
  return { stream: program.stdout, program }
}

export function openProgramSink(end: ProgramEnd, hooks: EndHooks): OpenSink {
  const program = openProgram(request(end, hooks, 'lines'))
  return { stream: program.stdin, program }
}

export const openDirectorySource = ({ path }: DirectoryEnd, hooks: EndHooks): OpenSource =>
  openProgramSource({ type: 'program', file: 'tar', args: ['-C', path, '-cf', '-', '.'] }, hooks)

/** Fails before anything is written where something is in the way. */
export async function openDirectorySink({ path }: DirectoryEnd, hooks: EndHooks): Promise<OpenSink> {
  try {
    await makeDirectory(path)
    if ((await readdir(path)).length > 0) throw new Error('it is not empty; nothing was written')
  } catch (error) {
    throw new StreamFailure('transfer-failed', `${path}: ${reasonOf(error)}`)
  }
  // tar ends at the mark of the archive's end: what follows is read, so that the stream ends well.
  const script = 'tar -C "$1" -xf - && cat > /dev/null'
  return openProgramSink({ type: 'program', file: '/bin/sh', args: ['-c', script, 'tar', path] }, hooks)
}

function request(end: ProgramEnd, { line }: EndHooks, output: PipedRequest['output']): PipedRequest {
  const { file, args, env, cwd } = end
  return {
    ...{ file, args, output, onLine: (text) => line(file, text) },
    ...(env ? { env } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  }
}
