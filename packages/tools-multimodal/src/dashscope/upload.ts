import { type MediaSource, newId } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import { malformed, objectIn, textIn } from "@agentscope-ts/model/wire"
import type { DashScopeService } from "./dashscope-service.ts"

type Base64 = Extract<MediaSource, { readonly type: "base64" }>

const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "image/jpeg": "jpg",
  "video/quicktime": "mov",
}

/**
 * Puts a medium into DashScope's own store, for this model and for 48 hours, and gives its `oss:` URL: `GET
 * uploads?action=getPolicy&model=…`, then a form to `upload_host`. Who sends the URL sends `X-DashScope-OssResourceResolve:
 * enable` with it. Source: Alibaba Cloud Model Studio, "Upload local files to get temporary URLs".
 */
export async function upload(
  service: DashScopeService,
  model: string,
  { mediaType, data }: Base64,
  signal?: AbortSignal,
): Promise<string> {
  const answer = await service.get("uploads", { action: "getPolicy", model }, signal)
  const policy = objectIn<Record<string, unknown>>(answer["data"]) ?? {}
  const text = (field: string): string => textIn(policy[field])
  const [host, dir] = [text("upload_host"), text("upload_dir")]
  if (!/^https?:\/\//.test(host) || dir === "" || text("policy") === "" || text("signature") === "") {
    throw malformed("The answer of DashScope about uploads has no upload_host, upload_dir, policy or signature.")
  }
  const bytes = Buffer.from(data, "base64")
  const megabytes = Number(policy["max_file_size_mb"])
  if (megabytes > 0 && bytes.length > megabytes * 1024 * 1024) {
    const message = `${model} takes no file of more than ${megabytes} MB, and one has ${(bytes.length / 1024 / 1024).toFixed(1)} MB: make it smaller first.`
    throw modelError({ code: "invalid_request", message })
  }
  const extension = extensions[mediaType] ?? mediaType.split("/")[1]?.replace(/^x-|[^a-z0-9].*$/g, "")
  const key = `${dir}/${newId()}.${extension || "bin"}`
  const form = new FormData()
  form.set("OSSAccessKeyId", text("oss_access_key_id"))
  form.set("Signature", text("signature"))
  form.set("policy", text("policy"))
  form.set("key", key)
  form.set("x-oss-object-acl", text("x_oss_object_acl"))
  form.set("x-oss-forbid-overwrite", text("x_oss_forbid_overwrite"))
  form.set("success_action_status", "200")
  // the store reads no field after the file
  form.set("file", new Blob([bytes], { type: mediaType }), key.split("/").at(-1))
  // the key of the service is not for the store
  const secrets = [text("policy"), text("signature"), text("oss_access_key_id")].join(" ")
  await service.request(host, { method: "POST", body: form, headers: {}, secrets, signal })
  return `oss://${key}`
}
