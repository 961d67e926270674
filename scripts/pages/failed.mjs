/** Lists the files of tests that failed, one a line, for those who run them again. */
export default async function* failed(events) {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file) yield `${data.file}\n`
  }
}
