// Entry module of the host threads in the kernel's specs.
import { runHost } from '../../../actors/kernel/host.js'
import { startSubject } from './subject.js'

runHost({
  kinds: { subject: startSubject },
  reads: {
    repeat: ({ text, times }: { text: string; times: number }) => ({
      bytes: new TextEncoder().encode(text.repeat(times)),
    }),
    fail: () => {
      throw new Error('on request')
    },
  },
})
