// The heading of the clusters that have one tag.

export const GroupHead = ({ tag, count }: { readonly tag: string; readonly count: number }) => (
  <h2 class="group-head">
    {tag === '' ? 'Without a tag' : tag} <span class="count">{count}</span>
  </h2>
)
