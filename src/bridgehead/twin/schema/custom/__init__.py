"""Kinds that CustomResourceDefinitions make: served, pruned and checked by their schemas.

Source: k8s.io/apiextensions-apiserver/pkg (1.37). Conversion between versions changes nothing but
``apiVersion``; rules in CEL are not evaluated.
"""
