export function table(header: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const line = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${line(header, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`
}

/** Plain text, where `code` is between backticks. */
export function prose(text = ''): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
