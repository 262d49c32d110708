// Hosts of their own that are reached over SSH: a root file system each, an sshd in it, one key for all.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { newDirectory } from '../machine/directories.js'
import { freePorts } from '../machine/ports.js'
import { eventually } from '../wait.js'
import { HostRoot } from './host-root.js'
import { listens, WITHOUT_LOGIN_FILES } from './sshd.js'

export interface SshRoot {
  readonly address: string
  readonly root: HostRoot
  /** Ends its sshd with all connections; databases go on. */
  close(): Promise<void>
  open(): Promise<void>
}

export interface SshRoots {
  readonly keyFile: string
  readonly port: number
  readonly hosts: readonly SshRoot[]
  end(): Promise<void>
}

/** One host per loopback address, all with sshd on the same port. */
export async function startSshRoots(addresses: readonly string[]): Promise<SshRoots> {
  const directory = newDirectory('ssh-roots')
  const [port = 0] = await freePorts(1)
  const makeKey = (name: string): string => {
    const file = path.join(directory, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file, '-C', name])
    return file
  }
  const keyFile = makeKey('manager')
  const hosts = await Promise.all(
    addresses.map(async (address): Promise<SshRoot> => {
      const root = await HostRoot.create()
      root.write('/etc/ssh/host_key', readFileSync(makeKey(address), 'utf8'), 0o600)
      root.write('/etc/ssh/authorized', readFileSync(`${keyFile}.pub`, 'utf8'))
      root.write('/etc/ssh/sshd_config', configuration(address, port))
      // sshd goes to the background before it listens, so its first process ends too early to be a sign.
      const open = async () => {
        await root.outputOf('mkdir -p /run/sshd && /usr/sbin/sshd')
        await eventually(() => listens(address, port), `sshd listens on ${address}`)
      }
      await open()
      return { address, root, open, close: async () => void (await root.outputOf(endSshd)) }
    }),
  )
  return {
    ...{ keyFile, port, hosts },
    end: async () => {
      await Promise.all(hosts.map(({ root }) => root.end()))
    },
  }
}

/**
 * Those that listen and those that serve a connection, until none is left: a connection that comes meanwhile has a process of
 * its own. One whose status was not collected has an entry, but no command line.
 */
const endSshd = `
  cd /proc
  while :; do
    left=''
    for p in [0-9]*; do
      case $(cat $p/comm 2>/dev/null) in sshd*) ;; *) continue ;; esac
      [ -n "$(tr -d '\\0' 2>/dev/null <$p/cmdline)" ] || continue
      left=$p
      kill -KILL $p 2>/dev/null || :
    done
    [ -n "$left" ] || break
    sleep 0.02
  done`

const configuration = (address: string, port: number): string =>
  [
    `Port ${port}`,
    `ListenAddress ${address}`,
    'HostKey /etc/ssh/host_key',
    'PidFile /run/sshd.pid',
    'AuthorizedKeysFile /etc/ssh/authorized',
    ...['StrictModes no', 'UsePAM no', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
    'PermitRootLogin prohibit-password',
    WITHOUT_LOGIN_FILES,
    '',
  ].join('\n')
