// The progress of a job as one line for people.
import { SECOND } from '../../base/time.js'
import type { JobProgress } from './job.js'

/** `1.5 GiB of 4.0 GiB, 12 MiB/s, 3 min 40 s left`. */
export function renderProgress({ bytes, totalBytes, rate, leftMs }: JobProgress): string {
  const of = totalBytes === undefined ? '' : ` of ${renderSize(totalBytes)}`
  const left = leftMs === undefined ? '' : `, ${renderDuration(leftMs)} left`
  return `${renderSize(bytes)}${of}, ${renderSize(rate)}/s${left}`
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Two significant digits at least; bytes are whole. */
export function renderSize(bytes: number): string {
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power] ?? 'B'}`
}

/** `4 h 10 min`, `3 min 40 s`, `12 s`. */
export function renderDuration(ms: number): string {
  const seconds = Math.ceil(ms / SECOND)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
