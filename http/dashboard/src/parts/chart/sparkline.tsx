// A few values as a line without axes, drawn as a path.
import { sparkPath } from './spark-path.js'

export interface SparklineProps {
  readonly values: readonly (number | null)[]
  readonly label: string
}

const WIDTH = 80
const HEIGHT = 18

export function Sparkline({ values, label }: SparklineProps) {
  const path = sparkPath(values, WIDTH, HEIGHT)
  if (path === '') return null
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
      <path d={path} />
    </svg>
  )
}
