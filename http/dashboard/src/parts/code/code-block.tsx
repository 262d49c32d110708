// Text of a machine, with a button that copies it; and a request as the command that repeats it.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Request, renderCommand, renderCurl } from './command.js'

export interface CodeBlockProps {
  readonly text: string
  readonly label: string
}

export function CodeBlock({ text, label }: CodeBlockProps) {
  const pre = useRef<HTMLPreElement>(null)
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard */}
      <pre ref={pre} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} what="Copy" onRefused={() => pre.current && select(pre.current)} />
    </div>
  )
}

export interface CopyRequestProps {
  readonly request: Request
  /** The client's own command, where it has one. */
  readonly command?: string
}

/** "Copy as command", "copy as curl". */
export const CopyRequest = ({ request, command }: CopyRequestProps) => (
  <span class="copies">
    <CopyButton text={command ?? renderCommand(request)} what="Copy as command" />
    <CopyButton text={renderCurl(request, location.origin)} what="Copy as curl" />
  </span>
)

interface CopyButtonProps {
  readonly text: string
  readonly what: string
  /** The browser keeps the clipboard from pages that are not secure. */
  readonly onRefused?: () => void
}

export function CopyButton({ text, what, onRefused }: CopyButtonProps) {
  const said = useSignal<string | undefined>(undefined)
  const copy = async () => {
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    if (!copied) onRefused?.()
    said.value = copied ? 'Copied' : 'Not copied: this page is not secure'
    setTimeout(() => {
      said.value = undefined
    }, 2_000)
  }
  return (
    <button type="button" class="button button-quiet" title={text} onClick={() => void copy()}>
      <span role="status">{said.value ?? what}</span>
    </button>
  )
}

function select(element: HTMLElement): void {
  const range = document.createRange()
  range.selectNodeContents(element)
  getSelection()?.removeAllRanges()
  getSelection()?.addRange(range)
}
