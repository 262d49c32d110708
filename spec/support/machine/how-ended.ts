// How a program of a spec has ended: the reason why nothing more can be expected of it.
import type { ChildProcess } from 'node:child_process'

/** A reason for `over` of a wait; undefined while it runs. */
export function howEnded({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `it was ended by ${signalCode}`
  return exitCode === null ? undefined : `it ended with status ${exitCode}`
}
