/** Answers whether it worked. Without TLS browsers have no clipboard but this old way to it. */
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
  // Beside what was pressed: a dialog lets the focus go nowhere else.
  const near = activeElement?.parentElement ?? document.body
  near.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus()
  return copied
}
