/** Copies a text. Returns whether it worked. Without TLS, browsers have only this old way. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  const { activeElement } = document
  // Added beside the button: a dialog keeps the focus inside itself.
  const near = activeElement?.parentElement ?? document.body
  near.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus()
  return copied
}
