// Where the manager is reached: one address, or those of several instances that share a fleet.
import type { Endpoint } from '../../../http/client/endpoint.js'
import type { CommonFlags } from './flags.js'

type Places = Pick<CommonFlags, 'host' | 'port' | 'insecure' | 'cacert'>

/** `a,b:10006,[::1]:10007`: each with its own port, or that of `--port`. */
export function endpointsOf({ host, port, insecure, cacert }: Places): readonly [Endpoint, ...Endpoint[]] {
  const endpointOf = (text: string): Endpoint => {
    const [, own, number] = /^(\[.+\]|[^:]+):(\d{1,5})$/.exec(text) ?? []
    return {
      ...{ host: own ?? text, port: number === undefined ? port : Number(number), insecure },
      ...(cacert === undefined ? {} : { caFile: cacert }),
    }
  }
  const [first = host, ...others] = host
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return [endpointOf(first), ...others.map(endpointOf)]
}
