// A short word about something, in a box.
import type { ComponentChildren } from 'preact'

export type Tone = 'plain' | 'good' | 'note' | 'warning' | 'error'

export interface TagProps {
  readonly children: ComponentChildren
  readonly tone?: Tone
  readonly title?: string
}

export const Tag = ({ children, tone = 'plain', title }: TagProps) => (
  <span class={`tag tag-${tone}`} title={title}>
    {children}
  </span>
)
