// Puts a script with its environment into one remote command: nothing secret in its arguments, and complete or not at all.

/** The end of every script that is sent; a script that arrives without it was cut off and is not run. */
const END = '# this script is whole'

/** Exit status when a host received only a part of the script. */
export const CUT_OFF = 97

export interface RemoteScript {
  readonly text: string
  /** Exported before the script runs. Sent through standard input: no other user of the host can see it. */
  readonly environment: Readonly<Record<string, string>>
  /** Run as root by `sudo -n`. */
  readonly sudo: boolean
  /** After this many seconds the host itself stops the script with all it started, whether or not the connection is open. */
  readonly limitSeconds: number
}

/** The command reads all of its input before it runs anything of it, so that no program in the script can read the rest. */
export function remoteCommand({ text, environment, sudo, limitSeconds }: RemoteScript): {
  command: string
  input: string
} {
  const read = `s=$(cat); case "$s" in *"${END}") eval "$s" </dev/null;; *) echo "the script did not arrive whole" >&2; exit ${CUT_OFF};; esac`
  const shell = `timeout -k 5 ${limitSeconds} sh -c '${read}'`
  const exports = Object.entries(environment).map(([name, value]) => `export ${checked(name)}=${quote(value)}`)
  return {
    command: sudo ? `sudo -n ${shell}` : shell,
    input: `${[...exports, withoutShebang(text), END].join('\n')}\n`,
  }
}

/** A word for sh: single quotes, those inside closed, escaped and opened again. A NUL cannot be in an environment. */
export const quote = (value: string): string => `'${value.replaceAll('\0', '').replaceAll("'", "'\\''")}'`

function checked(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new TypeError(`${name} is not a variable name`)
  return name
}

const withoutShebang = (text: string): string => text.replace(/^#!.*\n/, '')
