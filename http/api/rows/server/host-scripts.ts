// The scripts that hosts and containers download and run before their database starts.
import * as z from 'zod'
import { fail, ok } from '../../../../lib/base/result.js'
import {
  composeHostScript,
  containerOrchestrators,
  type HostScriptName,
  hostScripts,
} from '../../../../lib/orchestrator/host-scripts.js'
import { route } from '../../kit/route.js'

const texts = new Map<HostScriptName, Promise<string>>()

/** Read once: the parts do not change while the manager runs. */
function textOf(name: HostScriptName): Promise<string> {
  const text = texts.get(name) ?? composeHostScript(name)
  texts.set(name, text)
  return text
}

/** The row of one script: a fixed address that no cluster's name can reach. */
const script = (name: Exclude<HostScriptName, 'container-bootstrap'>) =>
  route({
    methods: ['GET'],
    paths: [`/static/configurator/${hostScripts[name].path}`],
    summary: `${hostScripts[name].summary} A shell script.`,
    grant: 'none',
    reply: { status: 200, type: 'text' },
    failures: {},
    example: { reply: '#!/bin/sh …' },
    answer: async () => ok(await textOf(name)),
  })

export const hostScriptRoutes = {
  'script.container-bootstrap': route({
    methods: ['GET'],
    paths: ['/static/configurator/:orchestrator/bootstrap'],
    summary: `${hostScripts['container-bootstrap'].summary} A shell script.`,
    grant: 'none',
    params: z.looseObject({ orchestrator: z.string().meta({ enum: [...containerOrchestrators] }) }),
    reply: { status: 200, type: 'text' },
    failures: { 'unknown-route': [404] },
    example: { reply: '#!/bin/sh …' },
    answer: async ({ params: { orchestrator } }) =>
      containerOrchestrators.includes(orchestrator)
        ? ok(await textOf('container-bootstrap'))
        : fail('unknown-route', `no script for ${orchestrator}; there is one for ${containerOrchestrators.join(', ')}`),
  }),
  'script.debian-bootstrap': script('debian-bootstrap'),
  'script.redhat-bootstrap': script('redhat-bootstrap'),
  'script.debian-start': script('debian-start'),
  'script.redhat-start': script('redhat-start'),
  'script.package-start': script('package-start'),
}
