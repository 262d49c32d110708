// Binds a program to this process: it ends with it, whatever ends that, SIGKILL included.
import { spawn } from 'node:child_process'

/**
 * Waits at a pipe that only this process holds, whose end it hears when this process is gone. A process that got the number of one that
 * ended has another start time: field 22 of proc(5), counted behind the name, which may hold blanks. A line releases it.
 */
const script = `
began() { stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0; set -- \${stat##*) }; echo "\${20}"; }
at=$(began "$1")
read -r released && exit
[ "$(began "$1")" = "$at" ] && kill -KILL "$2$1" 2>/dev/null
exit 0`

/** `group`: the program leads a process group, which ends as a whole. Call what is returned when it has ended. */
export function bindProgram(pid: number, { group = false }: { readonly group?: boolean } = {}): () => void {
  // A session of its own: a signal to the group of this process would end it, too.
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), group ? '-' : ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  })
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  return () => guard.stdin.end('\n')
}
