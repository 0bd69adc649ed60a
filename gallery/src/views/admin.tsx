import { Layout } from '../parts/layout.tsx'

export function AdminView() {
  return <Layout title="Admin">…</Layout>
}
