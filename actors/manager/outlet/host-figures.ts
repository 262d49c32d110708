// Load, memory and disk of this machine, and the share of this process.
import { statfs } from 'node:fs/promises'
import os from 'node:os'
import { sleep } from '../../../lib/base/time.js'
import type { HostFigures } from '../../protocol/manager/face.js'

/** The first caller waits this long for a second sample of the processors' counters. */
const FIRST_SAMPLE_MS = 200

interface CpuSample {
  readonly busy: number
  readonly all: number
}

/** Processor time since the program started, of all cores, milliseconds. */
function sampleCpu(): CpuSample {
  const times = os.cpus().map(({ times }) => times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  const all = times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0)
  return { busy: all - idle, all }
}

let before: CpuSample | undefined

/** Busy share of the processors since the last call. */
async function cpuPercent(): Promise<number> {
  const earlier = before ?? sampleCpu()
  if (before === undefined) await sleep(FIRST_SAMPLE_MS)
  const latest = sampleCpu()
  before = latest
  return percent(latest.busy - earlier.busy, latest.all - earlier.all)
}

/** `directory` is where the manager stores its files: the disk of that folder is reported. */
export async function hostFigures(directory: string): Promise<HostFigures> {
  const [load, disk] = await Promise.all([cpuPercent(), diskOf(directory)])
  const [total, used] = [os.totalmem(), os.totalmem() - os.freemem()]
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  return {
    host: {
      ...{ hostname: os.hostname(), cpuCores: os.cpus().length, cpuPercent: load },
      ...{ memoryTotalBytes: total, memoryUsedBytes: used, memoryUsedPercent: percent(used, total) },
      diskPath: directory,
      ...disk,
    },
    process: {
      ...{ pid: process.pid, rssBytes: rss, heapAllocBytes: heapUsed, heapSysBytes: heapTotal },
      goroutines: process.getActiveResourcesInfo().length,
      uptimeSeconds: Math.floor(process.uptime()),
    },
  }
}

async function diskOf(directory: string) {
  const known = await statfs(directory).catch((error: Error) => error)
  if (known instanceof Error)
    return { diskTotalBytes: 0, diskUsedBytes: 0, diskUsedPercent: 0, diskError: known.message }
  const total = known.blocks * known.bsize
  const used = total - known.bfree * known.bsize
  return { diskTotalBytes: total, diskUsedBytes: used, diskUsedPercent: percent(used, total) }
}

const percent = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.round((part / whole) * 1_000) / 10)
