// A part of a page with a heading and an error boundary of its own: what fails in one panel leaves the others as they are.
import { Component, type ComponentChildren } from 'preact'

export interface PanelProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Beside the heading: controls, a count. */
  readonly aside?: ComponentChildren
  /** Dated data that is no longer current. */
  readonly stale?: boolean
  readonly class?: string
}

export const Panel = ({ title, children, aside, stale = false, class: extra = '' }: PanelProps) => (
  <section class={`panel ${stale ? 'stale' : ''} ${extra}`} aria-label={title}>
    <header class="panel-head">
      <h2>{title}</h2>
      {aside}
    </header>
    <Boundary what={title}>
      <div class="panel-body">{children}</div>
    </Boundary>
  </section>
)

interface BoundaryProps {
  readonly what: string
  readonly children: ComponentChildren
}

export class Boundary extends Component<BoundaryProps, { readonly problem?: string }> {
  override state: { readonly problem?: string } = {}

  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override componentDidCatch(error: unknown) {
    console.error(`${this.props.what}:`, error)
  }

  override render() {
    if (this.state.problem === undefined) return this.props.children
    return (
      <div class="failed" role="alert">
        <p>{this.props.what} could not be shown: an answer of the manager has a form that this page does not know.</p>
        <p class="muted">{this.state.problem}</p>
        <button type="button" class="button" onClick={() => this.setState({ problem: undefined } as never)}>
          Retry
        </button>
      </div>
    )
  }
}
