import type { Problem } from '../../../src/contract/problem.ts'
import type { RootResult } from '../../../src/contract/results.ts'
import { rootsUrl } from '../store/results.ts'
import type { Accepting } from './requests.ts'

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function listRoots(service: Accepting, projectId = service.projectId): Promise<RootResult[]> {
  return (await (await service.get(rootsUrl(projectId))).json()) as RootResult[]
}

export async function jobIdOf(response: Response): Promise<string> {
  return ((await response.json()) as { jobId: string }).jobId
}

/** Everything in which two equal answers may differ. */
export async function withoutRequestId(response: Response) {
  return [response.status, (await response.text()).replace(/"requestId":"[^"]+"/, '')]
}

export async function refusal(response: Response) {
  const { code, errors } = (await response.json()) as Problem
  return [response.status, code, ...(errors ?? []).map(({ pointer, parameter }) => pointer ?? parameter)]
}
