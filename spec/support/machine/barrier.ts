// A place in a shell script at which it waits for a spec: what started the script can get no further meanwhile.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { eventually } from '../wait.js'
import { newDirectory } from './directories.js'

export class Barrier {
  /** A folder for what waits here: to be put before others in a path of programs. */
  readonly folder = newDirectory('barrier')
  /** How often it was lowered: who waits behind one passes when that is raised, whether the next one is down or not. */
  #turn = 0

  /** Writes a script that waits here as long as the barrier is down; then it goes on with these lines. */
  script(name: string, ...lines: readonly string[]): string {
    const file = path.join(this.folder, name)
    const waits = [
      `turn=$(cat ${this.#file('turn')} 2>/dev/null)`,
      `while [ -e "${this.#file('held')}-$turn" ]; do echo "$$: $*" > "${this.#file('arrived')}-$turn"; sleep 0.05; done`,
    ]
    writeFileSync(file, ['#!/bin/sh', ...waits, ...lines, ''].join('\n'), { mode: 0o755 })
    return file
  }

  /** Writes a script in the place of a program of this machine, which runs when it has passed. */
  program(name: string): string {
    const others = `PATH="\${PATH#${this.folder}:}:/usr/local/sbin:/usr/sbin"`
    return this.script(name, others, `exec "$(command -v ${name})" "$@"`)
  }

  /** Who comes from now on waits. */
  lower(): void {
    this.#turn += 1
    writeFileSync(this.#file(`held-${this.#turn}`), '')
    writeFileSync(this.#file('turn'), `${this.#turn}\n`)
  }

  raise(): void {
    rmSync(this.#file(`held-${this.#turn}`), { force: true })
  }

  /** Number and arguments of the process that waits here, as soon as one does that is not this one. */
  arrival(what: () => string, but = ''): Promise<string> {
    const who = () => {
      const pid = readFileSync(this.#file(`arrived-${this.#turn}`), 'utf8').trim()
      return pid !== but && pid
    }
    return eventually(who, what)
  }

  #file(name: string): string {
    return path.join(this.folder, name)
  }
}
