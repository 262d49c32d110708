// Configures every proxy of the cluster with where writes go now.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import type { Proxy as ProxyAdapter, ProxyTarget } from '../../proxy/kit/index.js'
import type { Effect, Run } from '../kit/context.js'
import { nameOf } from '../kit/statements.js'

/** All at once, each within the command's time: one that hangs does not keep the others waiting. */
export const routeWrites: Effect<'route-writes'> = async ({ primary }, run) => {
  const proxies = run.context.proxies()
  const target = run.context.proxyTarget(primary)
  const answers = await Promise.all(proxies.map((proxy) => applyWithin(run, proxy, target)))
  const failures = answers.flatMap((answer) => (answer.ok ? [] : [answer.failure.message]))
  const aim = primary === undefined ? 'no server' : nameOf(run, primary)
  if (failures.length > 0) return fail('proxy-failed', failures.join('; '))
  if (proxies.length === 0) return ok('no proxies configured')
  return ok(`${counted(proxies.length, 'proxy sends', 'proxies send')} writes to ${aim}`)
}

async function applyWithin(run: Run, proxy: ProxyAdapter, target: ProxyTarget): Promise<Result<void>> {
  const limit = new AbortController()
  const end = () => limit.abort()
  const timer = setTimeout(end, run.remaining())
  run.signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([proxy.apply(target, limit.signal), whenAborted(limit.signal, proxy.name)])
  } catch (error) {
    return fail('proxy-failed', `${proxy.name}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', end)
  }
}

const whenAborted = (signal: AbortSignal, name: string): Promise<Result<void>> =>
  new Promise((resolve) => {
    const late = () => resolve(fail('proxy-failed', `${name} has not answered in time`))
    signal.addEventListener('abort', late, { once: true })
  })
