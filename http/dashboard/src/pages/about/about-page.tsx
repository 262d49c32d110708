// What runs here: the version, the address of the interface and of the documents.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { me } from '../../store/me.js'

export function page() {
  const version = useSignal<string | undefined>(undefined)
  useEffect(() => {
    void fetch('/api/repocomp/current').then(async (response) => {
      if (response.ok) version.value = (await response.text()).trim()
    })
  }, [version])
  return (
    <article class="prose">
      <h1>About</h1>
      <p>{version}</p>
      <p>Logged in as {me.value?.user}.</p>
      <p>
        <a href="/api-docs" target="_blank" rel="noreferrer">
          The interface and its document
        </a>
      </p>
    </article>
  )
}
