// The path of a sparkline: from zero to the largest value, with a gap where nothing was measured.

export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return ''
  const top = Math.max(...known, 1)
  const step = width / (values.length - 1)
  let path = ''
  let isDrawing = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isDrawing = false
      continue
    }
    const y = height - 1 - (value / top) * (height - 2)
    path += `${isDrawing ? 'L' : 'M'}${round(index * step)} ${round(y)}`
    isDrawing = true
  }
  return path
}

const round = (value: number): number => Math.round(value * 10) / 10
