{{- define "trawl.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "trawl.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{ include "trawl.selector" . }}
{{- end -}}

{{- define "trawl.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trawl.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "trawl.gitSecret" -}}
{{ .Values.gitSecret.existingSecret | default (printf "%s-git" (include "trawl.name" .)) }}
{{- end -}}

{{/* Of every pod. A change of the configuration restarts it. */}}
{{- define "trawl.podMetadata" -}}
annotations:
  checksum/configuration: {{ include "trawl.configuration" . | sha256sum }}
{{- end -}}

{{- define "trawl.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "trawl.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Of every container of Trawl. */}}
{{- define "trawl.container" -}}
image: {{ include "trawl.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{ include "trawl.containerSecurity" . }}
{{- end -}}

{{- define "trawl.databasePassword" -}}
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.existingSecret }}
      key: {{ .Values.database.passwordKey }}
{{- end -}}

{{- define "trawl.mounts" -}}
- { name: configuration, mountPath: /etc/trawl, readOnly: true }
- { name: git-secret, mountPath: /run/secrets/git, readOnly: true }
- { name: temporary, mountPath: /tmp }
{{- range .Values.extraSecrets }}
- { name: {{ printf "secret-%s" . }}, mountPath: {{ printf "/run/secrets/%s" . }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "trawl.volumes" -}}
- name: configuration
  configMap: { name: {{ include "trawl.name" . }} }
- name: git-secret
  secret: { secretName: {{ include "trawl.gitSecret" . }}, defaultMode: 288 }
- name: temporary
  emptyDir: {}
{{- range .Values.extraSecrets }}
- name: {{ printf "secret-%s" . }}
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- end -}}

{{/* The configuration file, as an object. */}}
{{- define "trawl.configuration" -}}
{{- $name := include "trawl.name" . -}}
{{- $secret := dict "file" "/run/secrets/git/secret" -}}
{{- $gitServers := list -}}
{{- range $at := until (int .Values.gitserver.replicas) -}}
{{- $pod := printf "%s-gitserver-%d" $name $at -}}
{{- $url := printf "http://%s.%s-gitserver:4879" $pod $name -}}
{{- $gitServers = append $gitServers (dict "name" $pod "url" $url "secret" $secret "allowPlainHttp" true) -}}
{{- end -}}
{{- $nodes := list -}}
{{- range $at := until (int .Values.zoekt.replicas) -}}
{{- $pod := printf "%s-zoekt-%d" $name $at -}}
{{- $url := printf "http://%s.%s-zoekt:6070" $pod $name -}}
{{- $nodes = append $nodes (dict "name" $pod "url" $url "hasIndexer" true "indexFolder" "/data/index") -}}
{{- end -}}
{{- $zoekt := dict "nodes" $nodes "replicas" .Values.zoekt.copies "gitUrl" (printf "http://%s-git:4879/git/{name}" $name) "gitToken" $secret "allowPlainHttp" true -}}
{{- $gitServer := dict "listen" "0.0.0.0:4879" "secret" $secret "allowPlainHttp" true -}}
{{- $own := dict "database" .Values.database.url "host" "0.0.0.0" "port" 4878 "connections" .Values.connections "gitServer" $gitServer "gitServers" $gitServers "engine" (dict "zoekt" $zoekt) -}}
{{- mergeOverwrite (deepCopy .Values.settings) $own | toPrettyJson -}}
{{- end -}}
