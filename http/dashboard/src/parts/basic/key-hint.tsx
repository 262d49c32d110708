// A key that does something, as it is written on the keyboard.

export const KeyHint = ({ keys }: { readonly keys: string }) => (
  <span class="keys">
    {keys.split(' ').map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
)
