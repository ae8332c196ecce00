"""What the API server fills in where an object says nothing, kind by kind, as 1.37 does it.

Source: k8s.io/kubernetes/pkg/apis/GROUP/VERSION/defaults.go and zz_generated.defaults.go. All
functions change the object they are given, which must be a private copy.
"""
