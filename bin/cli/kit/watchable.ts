// `--watch` is for commands that only read: with any other it would act while it seems to display.
import type { Command } from 'commander'
import { EXIT, Exit } from '../output/exit.js'

type Reads = (words: readonly string[]) => boolean

const watchable = new WeakMap<Command, Reads>()

/** Marks a command that can be shown again and again; `reads`: with these arguments. */
export function canWatch(command: Command, reads: Reads = () => true): Command {
  watchable.set(command, reads)
  return command
}

/** Refuses `--watch` with every command that is not marked, before it does anything. */
export function refuseWatchedActions(program: Command): void {
  program.hook('preAction', (_, command) => {
    if (program.opts().watch !== true || command.name() === 'watch') return
    if (watchable.get(command)?.(command.args)) return
    throw new Exit(EXIT.usage, `${nameOf(command)} cannot be watched: it does not only read. Run it without --watch.`)
  })
}

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
