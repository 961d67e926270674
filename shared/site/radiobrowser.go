package site

// RadioBrowserFolders are the folders at the root of the service with the API in the paths
// of radio-browser: one for each format of its answers.
var RadioBrowserFolders = []string{"/json/", "/xml/", "/csv/", "/m3u/", "/pls/", "/xspf/"}
