/** Providers that the conventions name otherwise than we do. */
const wellKnown: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
}

/** The value of `gen_ai.provider.name` for a provider: the conventions' own name where they have one. */
export function providerName(provider: string): string {
  return Object.hasOwn(wellKnown, provider) ? (wellKnown[provider] as string) : provider
}
