// `watch`: any command that reads, again and again; `watch server list` is `server list --watch`.
import type { Command } from 'commander'
import type { Context } from '../../kit/context.js'

/** The default command. */
const usual = ['topology']

export function addWatch(program: Command, { flags }: Context, run: (words: readonly string[]) => Promise<void>): void {
  program
    .command('watch [command...]')
    .description('refresh a read command until interrupted (default: topology)')
    .allowUnknownOption()
    .action((words: readonly string[]) => run([...given(flags()), '--watch', ...(words.length === 0 ? usual : words)]))
}

/** The common flags of this run as words again. */
const given = (flags: object): readonly string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (typeof value === 'boolean') return value ? [flag] : []
    return value === undefined ? [] : [flag, String(value)]
  })
