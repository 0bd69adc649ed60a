import { toRoot } from '../addresses.ts'
import { go } from '../navigation.ts'
import { Layout } from '../parts/layout.tsx'
import { LoadForm } from '../parts/load-form.tsx'
import { client } from '../session.ts'

export function CaptureView({ projectId }: { projectId: string }) {
  return (
    <Layout title="New screenshots" projectId={projectId} place="capture">
      <LoadForm
        title="New screenshots"
        submit="Capture"
        send={async (request) => {
          const { jobId } = await client.requestScreenshots(projectId, request)
          go(toRoot(projectId, jobId))
        }}
      />
    </Layout>
  )
}
