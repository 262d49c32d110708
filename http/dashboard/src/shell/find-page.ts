// Which page an address names.
import { exec } from 'preact-iso/router'
import type { Page } from '../pages/pages.js'

export interface Found {
  readonly page: Page
  readonly params: Readonly<Record<string, string>>
  readonly title: string
}

/** The first page whose path fits; undefined too when the address is not valid text. */
export function findPage(pages: readonly Page[], path: string): Found | undefined {
  try {
    for (const page of pages) {
      const matched = exec(path, page.path, { path, query: {}, params: {} })
      if (!matched) continue
      const { params } = matched
      return { page, params, title: page.title.replace(/:(\w+)/g, (_all, key: string) => params[key] ?? '') }
    }
  } catch {
    // A percent sign that encodes nothing.
  }
  return undefined
}

/** Which of several pages the address is in: itself, or one whose parts have addresses below it. The first is the page above all of them. */
export function currentOf(hrefs: readonly string[], path: string): string | undefined {
  const [, ...below] = hrefs
  return hrefs.find((href) => href === path) ?? below.find((href) => path.startsWith(`${href}/`))
}
