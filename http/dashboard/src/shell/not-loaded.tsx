// Why a page is not shown whose files cannot be loaded: with the first load, since nothing else can be loaded then.

/** After an update of the manager, the files of the old version are gone. */
export const NotLoaded = ({ onRetry }: { readonly onRetry: () => void }) => (
  <article class="prose">
    <h1>This page could not be loaded</h1>
    <p>The manager is not reachable, or was updated since you opened the dashboard.</p>
    <p class="row">
      <button type="button" class="button" onClick={onRetry}>
        Retry
      </button>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload the dashboard
      </button>
    </p>
  </article>
)
