export const DOCS_CSP = "default-src 'none'"
export function renderDocs(_document: unknown): string {
  return ''
}
