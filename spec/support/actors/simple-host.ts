// Entry module of host threads full of simple actors.
import { runHost } from '../../../actors/kernel/host.js'
import { startSimpleActor } from './simple-actor.js'

runHost({ kinds: { simple: startSimpleActor } })
