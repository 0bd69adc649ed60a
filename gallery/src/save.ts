import { ASKS_FOR_KEY, client } from './session.ts'

/** Lets the browser download the file. If a key is needed, this page downloads it and hands it to the browser. */
export async function saveArchive(
  projectId: string,
  rootId: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (!ASKS_FOR_KEY) return click(client.archiveAddress(projectId, rootId), '')
  await saveAnswer(await client.fetchArchive(projectId, rootId), 'pictures.zip', onBytes)
}

export async function savePicture(projectId: string, rootId: string, uuid: string): Promise<void> {
  if (!ASKS_FOR_KEY) return click(client.pictureAddress(projectId, rootId, uuid), '')
  await saveAnswer(await client.fetchPicture(projectId, rootId, uuid), `${uuid}.png`, () => {})
}

/** Browsers keep a large blob on the disk, not in memory. */
async function saveAnswer(
  answer: Response,
  otherwise: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let bytes = 0
  const counted = answer.body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length
        onBytes(bytes)
        controller.enqueue(chunk)
      },
    }),
  )
  const address = URL.createObjectURL(await new Response(counted ?? null).blob())
  click(address, fileName(answer.headers.get('content-disposition')) ?? otherwise)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

function fileName(disposition: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  return encoded === undefined
    ? /filename="([^"]+)"/.exec(disposition ?? '')?.[1]
    : decodeURIComponent(encoded)
}

function click(href: string, download: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = download
  document.body.append(link)
  link.click()
  link.remove()
}
