// Entry module of the host threads in the kernel's specs.
import { runHost } from '../../../actors/kernel/host.js'
import { startSubject } from './subject.js'

runHost({ kinds: { subject: startSubject } })
