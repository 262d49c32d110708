// The frame of both views of a cluster's tables: whether their rows are equal, and whether their definitions are.
import type { ComponentChildren } from 'preact'
import './checksums.css'

const views = [
  ['', 'Rows'],
  ['/schema', 'Definitions'],
] as const

export interface TablesFrameProps {
  readonly cluster: string
  readonly view: (typeof views)[number][0]
  readonly children: ComponentChildren
}

export const TablesFrame = ({ cluster, view, children }: TablesFrameProps) => (
  <div class="page checksums-page">
    <nav class="tabs" aria-label="What is compared">
      {views.map(([word, title]) => (
        <a
          key={word}
          href={`/c/${encodeURIComponent(cluster)}/checksums${word}`}
          aria-current={word === view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
    {children}
  </div>
)
