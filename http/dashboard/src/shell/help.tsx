// The help: keys, and the language of the search.
import { filterForms } from '../../../../lib/model/fleet/filter.js'
import { pages } from '../pages/pages.js'
import { KeyHint } from '../parts/basic/key-hint.js'
import { Dialog } from '../parts/overlay/dialog.js'
import { keyedPages } from './bar.js'
import { shellKeys } from './keys.js'

export function Help({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const opened = keyedPages(pages).map(({ key, offered, title }) => ({ keys: `g ${key}`, does: offered?.as ?? title }))
  return (
    <Dialog title="Keys and search" open={open} onClose={onClose}>
      <dl class="help">
        {[...shellKeys, ...opened].map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <KeyHint keys={keys} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h3>Search: all terms must hold</h3>
      <dl class="help">
        {filterForms.map(([, example, selects]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{selects}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
