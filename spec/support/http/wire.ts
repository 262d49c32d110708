// A gateway with all rows of the interface over a scripted manager, and requests to it as the administrator.
import { routes } from '../../../http/api/index.js'
import { ScriptedFace } from './scripted-face.js'
import { type Answer, type Ask, startTestGateway } from './test-gateway.js'

export interface Wire {
  readonly face: ScriptedFace
  /** As the administrator unless given otherwise. */
  ask(path: string, ask?: Ask): Promise<Answer>
  /** Header of another user's login. */
  bearer(user: string, password: string): Promise<{ Authorization: string }>
  close(): Promise<void>
}

export async function openWire(): Promise<Wire> {
  const face = new ScriptedFace()
  const gateway = await startTestGateway({ manager: face, routes })
  const admin = await gateway.bearer('admin', 'repman')
  return {
    face,
    ask: (path, ask = {}) => gateway.ask(path, { ...ask, headers: { ...admin, ...ask.headers } }),
    bearer: gateway.bearer,
    close: gateway.close,
  }
}
