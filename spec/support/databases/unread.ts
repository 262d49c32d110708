// What a session has sent to a server that hangs: a statement that waits there is executed when the server goes on.
import { readFileSync } from 'node:fs'
import type { Node } from './database.js'

/**
 * How many bytes of this session of 127.0.0.1 the server has not read (the receive queue of proc_net_tcp(5)). The server is
 * asked once, while it answers; what is returned may be called while it hangs.
 */
export async function unreadOf(node: Node, threadId = 0): Promise<() => number> {
  const client = await node.value('SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = ?', threadId)
  const ends = [addressOf(`127.0.0.1:${node.port}`), addressOf(client)].join(' ')
  return () => {
    const line = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .find((each) => each.includes(ends))
    if (line === undefined) throw new Error(`${node.name} has no connection of ${client}`)
    return Number.parseInt(line.trim().split(/[ :]+/)[7] ?? '', 16)
  }
}

/** As the kernel writes it: the bytes of the address in the order of the machine, both parts in hexadecimal digits. */
function addressOf(text: string): string {
  const [host = '', port = ''] = text.split(':')
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0')
  const bytes = host.split('.').map((part) => hex(Number(part), 2))
  return `${bytes.toReversed().join('')}:${hex(Number(port), 4)}`
}
